# What runs where on a cluster; what jobs ask of it stands in workflow/profiles.


# A limit of `gpu`, such as the default profile's, is one machine's and not the cluster's.
resource_scopes:
    gpu="local",
